import '../long-form.ts';
import './declarations.test.ts';
