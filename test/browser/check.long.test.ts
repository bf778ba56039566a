import '../long-form.ts';
import './check.test.ts';
