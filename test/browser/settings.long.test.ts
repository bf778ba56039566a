import '../long-form.ts';
import './settings.test.ts';
