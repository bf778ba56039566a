import { SCREENS } from './visit.ts';

/** In which pages are looked at. */
export const looks = {
  screens: [SCREENS.desktop, SCREENS.phone],
  themes: ['light', 'dark'],
} as const;
