import '../long-form.ts';
import './integration-pages.test.ts';
