import './every-look.ts';
import './connect.test.ts';
