import '../long-form.ts';
import './docs.test.ts';
