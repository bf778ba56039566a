import './long-form.ts';
import './permissions.test.ts';
