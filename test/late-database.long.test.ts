import './long-form.ts';
import './late-database.test.ts';
