import '../long-form.ts';
import './integrations.test.ts';
