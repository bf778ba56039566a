import './every-look.ts';
import './admin.test.ts';
