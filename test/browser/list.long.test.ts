import './every-look.ts';
import './list.test.ts';
