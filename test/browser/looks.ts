import { SCREENS } from './visit.ts';

type Screen = (typeof SCREENS)[keyof typeof SCREENS];

/**
 * How tests look at pages. `npm test` looks at each page once. The long forms of the tests import `every-look.ts` first, and
 * look at each page in every theme and on every screen.
 */
export const looks: { screens: readonly Screen[]; themes: readonly ('light' | 'dark')[] } = {
  screens: [SCREENS.desktop],
  themes: ['light'],
};
