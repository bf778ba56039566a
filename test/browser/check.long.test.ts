import './every-look.ts';
import './check.test.ts';
