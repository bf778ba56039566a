import '../long-form.ts';
import './connect.test.ts';
