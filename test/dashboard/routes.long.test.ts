import '../long-form.ts';
import './routes.test.ts';
