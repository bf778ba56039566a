import '../long-form.ts';
import './fuzz.test.ts';
