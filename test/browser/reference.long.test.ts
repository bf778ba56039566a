import '../long-form.ts';
import './reference.test.ts';
