import '../long-form.ts';
import './quiet-times.test.ts';
