import './every-look.ts';
import './integrations.test.ts';
