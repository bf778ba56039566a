import '../long-form.ts';
import './ways.test.ts';
