import './every-look.ts';
import './reference.test.ts';
