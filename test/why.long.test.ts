import './long-form.ts';
import './why.test.ts';
