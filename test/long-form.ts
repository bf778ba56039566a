/** To be imported before a file of tests, which then does all that it can. */
import { form } from './form.ts';

form.isLong = true;
