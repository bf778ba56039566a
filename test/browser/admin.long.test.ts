import '../long-form.ts';
import './admin.test.ts';
