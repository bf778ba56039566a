import { useEffect, useState } from 'react';

/** How many pages of skeletons are shown. */
let shownPages = 0;

export const isSkeletonPageShown = () => shownPages > 0;

/** Counts a page of skeletons while it is shown. */
export function useSkeletonPage(): void {
  useEffect(() => {
    shownPages++;
    return () => {
      shownPages--;
    };
  }, []);
}

/**
 * The class of what stands for something that is on its way. It is seen only if that takes a moment, or if it follows a
 * page of skeletons, which have been seen already.
 */
export function useSkeletonClass(): string {
  return useState(() => (isSkeletonPageShown() ? '' : 'appears-late'))[0];
}

/** The place of a text that is on its way. It keeps the space, so that nothing jumps. */
export function Skeleton({ className = 'w-30' }: { readonly className?: string }) {
  return <Bar className={`${useSkeletonClass()} ${className}`} />;
}

/** The same in a page of skeletons, which is seen as a whole. */
export function Bar({ className }: { readonly className: string }) {
  return <span aria-hidden="true" className={`block h-2.5 rounded-[4px] bg-quiet-t ${className}`} />;
}
