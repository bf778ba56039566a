import './every-look.ts';
import './public.test.ts';
