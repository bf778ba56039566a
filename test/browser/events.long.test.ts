import '../long-form.ts';
import './events.test.ts';
