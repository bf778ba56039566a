import './every-look.ts';
import './events.test.ts';
