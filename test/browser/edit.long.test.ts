import './every-look.ts';
import './edit.test.ts';
