import '../long-form.ts';
import './origins.test.ts';
