import './every-look.ts';
import './account.test.ts';
