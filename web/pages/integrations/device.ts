/** What a browser tells of itself. */
export interface Device {
  readonly userAgent: string;
  readonly maxTouchPoints: number;
}

/** An iPad says that it is a Mac, and no Mac has a screen to touch. */
const isIpad = ({ userAgent, maxTouchPoints }: Device): boolean =>
  userAgent.includes('iPad') || (userAgent.includes('Macintosh') && maxTouchPoints > 1);

export const isIos = (device: Device): boolean => device.userAgent.includes('iPhone') || isIpad(device);

/** Each comes before those whose words it has, too. */
const BROWSERS = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\/|iPhone|iPad/, 'Safari'],
] as const;

const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'Mac'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux'],
] as const;

/** A name for the device and its browser: `iPhone · Safari`. Empty if it tells nothing. */
export function deviceName(device: Device): string {
  const named = (names: typeof BROWSERS | typeof SYSTEMS) =>
    names.find(([words]) => words.test(device.userAgent))?.[1] ?? '';
  const system = isIpad(device) ? 'iPad' : named(SYSTEMS);
  return [system, named(BROWSERS)].filter((part) => part !== '').join(' · ');
}
