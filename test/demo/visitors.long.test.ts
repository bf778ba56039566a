import '../long-form.ts';
import './visitors.test.ts';
