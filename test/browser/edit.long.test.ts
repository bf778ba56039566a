import '../long-form.ts';
import './edit.test.ts';
