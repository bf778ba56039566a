/** A share from 0 to 1 as `99.83 %`. It is cut and not rounded, so that only a whole is `100 %`. */
export function percentText(share: number): string {
  const hundredths = Math.floor(Math.min(1, Math.max(0, share)) * 10_000);
  return hundredths === 10_000 ? '100 %' : `${(hundredths / 100).toFixed(2)} %`;
}
