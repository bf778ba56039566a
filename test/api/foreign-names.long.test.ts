import '../long-form.ts';
import './foreign-names.test.ts';
