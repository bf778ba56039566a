/** Licences that put no conditions on the program that uses the package, other than naming it. */
const ACCEPTED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT OR Apache-2.0',
  'MIT-0',
  'Unlicense',
];

/** Fonts, whose licence goes with them, and tools that change nothing in what they make or look at. */
const ACCEPTED_FOR: Readonly<Record<string, RegExp>> = {
  'OFL-1.1': /^@fontsource-variable\//,
  'MPL-2.0': /^(axe-core|lightningcss(-[\w-]+)?)$/,
};

export function isAccepted(name: string, license = ''): boolean {
  return ACCEPTED.includes(license) || ACCEPTED_FOR[license]?.test(name) === true;
}
