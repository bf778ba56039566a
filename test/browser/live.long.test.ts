import './every-look.ts';
import './live.test.ts';
