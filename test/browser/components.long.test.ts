import '../long-form.ts';
import './components.test.ts';
