import '../long-form.ts';
import './account.test.ts';
