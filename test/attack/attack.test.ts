import { suffer } from './attack.test-suite.ts';
import { ATTACKS } from './attacks.ts';

/** One of each kind. */
const NAMES = [
  'deeply nested JSON, without a key and with one',
  'requests whose bodies stop half-way',
  'mails of nested multiparts to a check that looks into them',
];

suffer(
  'sqlite',
  NAMES.map((name) => {
    const attack = ATTACKS.find((one) => one.name === name);
    if (attack === undefined) throw new Error(`there is no attack "${name}"`);
    return attack;
  }),
);
