import '../long-form.ts';
import './live.test.ts';
