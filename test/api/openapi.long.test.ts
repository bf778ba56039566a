import '../long-form.ts';
import './openapi.test.ts';
