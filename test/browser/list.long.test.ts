import '../long-form.ts';
import './list.test.ts';
