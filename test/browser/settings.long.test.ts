import './every-look.ts';
import './settings.test.ts';
