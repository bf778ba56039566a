import { suffer } from './attack.test-suite.ts';
import { ATTACKS } from './attacks.ts';
import { BODY_ATTACKS } from './bodies.ts';

suffer('sqlite', ATTACKS);
// What hostile mails and connections cost, they cost before the database is asked. `npm run attack` tries all on both.
suffer('postgres', BODY_ATTACKS);
