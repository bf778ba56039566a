import { DEMONSTRATION_LINE } from '../../../src/wire/demonstration.ts';

export const demo = {
  name: 'Demonstration',
  title: 'Have a look',
  line: DEMONSTRATION_LINE,
  key: 'Read-only API key:',
  lookAround: 'Look around',
  lead: 'Three projects that have lived for five weeks, and live on.',
  anew: 'The demonstration has begun anew, and everybody was signed out.',
} as const;
