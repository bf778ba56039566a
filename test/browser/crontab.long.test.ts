import '../long-form.ts';
import './crontab.test.ts';
