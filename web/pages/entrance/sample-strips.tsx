import { useEffect, useState } from 'react';
import { m } from '../../messages/index.ts';

const ROWS = 19;
/** The rows that a phone has room for. */
const PHONE_ROWS = [5, 6, 7, 8];
const RUNS = 70;
const MAX_AHEAD = 6;
const BAD: Readonly<Record<string, string>> = {
  '4 41': 'border-[1.5px] border-down-g',
  '7 53': 'bg-down-g',
  '11 69': 'border-[1.5px] border-down-g',
};
const GOOD = 'border-t-2 border-bar-cap bg-bar-ok';

/** Numbers that look like chance and are the same in every browser. */
function sample(seed: number): number {
  const x = Math.sin(seed * 127.1) * 43_758.545_3;
  return x - Math.floor(x);
}

/** Jobs that ran and jobs that are to come, for a page that has no data yet. It says nothing to a screen reader. */
export function SampleStrips() {
  return (
    <div
      aria-hidden="true"
      className="relative grid content-center overflow-hidden border-line bg-canvas max-md:row-start-1 max-md:border-b md:border-l"
    >
      <div className="absolute inset-y-0 right-[132px] z-1 w-[1px] bg-ink">
        <span className="absolute top-5 left-0 -translate-x-1/2 rounded-chip bg-solid px-2 py-0.5 text-11 font-semibold whitespace-nowrap text-on-solid">
          <Clock />
        </span>
      </div>
      <div className="grid gap-3 mask-t-from-78% mask-r-from-100% mask-b-from-78% mask-l-from-45% md:gap-4.5">
        {Array.from({ length: ROWS }, (_, row) => row).map((row) => (
          <Strip key={row} row={row} />
        ))}
      </div>
    </div>
  );
}

function Strip({ row }: { readonly row: number }) {
  const ahead = 1 + Math.floor(sample(row + 9) * MAX_AHEAD);
  return (
    <div className={`flex h-4.5 min-w-0 md:h-6.5 ${PHONE_ROWS.includes(row) ? '' : 'max-md:hidden'}`}>
      <span className="flex min-w-0 flex-1 items-end justify-end gap-1 overflow-hidden pr-2">
        {Array.from({ length: RUNS }, (_, run) => `${row} ${run}`).map((key, run) => (
          <i
            key={key}
            className={`w-[7px] flex-none rounded-[2px] ${BAD[key] ?? GOOD}`}
            style={{ height: BAD[key] === undefined ? `${40 + sample(row * 100 + run) * 36}%` : '100%' }}
          />
        ))}
      </span>
      <span className="flex w-[132px] flex-none items-end gap-1 pl-[9px]">
        {Array.from({ length: ahead }, (_, run) => `${row} ahead ${run}`).map((key) => (
          <i key={key} className="h-1/2 w-[7px] flex-none rounded-[2px] border border-control" />
        ))}
      </span>
    </div>
  );
}

/** The time of the browser, by the minute. */
function Clock() {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const time = now.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });
  return m.now(time);
}
