import './every-look.ts';
import './integration-pages.test.ts';
