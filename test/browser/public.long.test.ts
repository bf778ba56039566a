import '../long-form.ts';
import './public.test.ts';
