import './every-look.ts';
import './components.test.ts';
