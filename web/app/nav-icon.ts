/** The look of icons in the navigation. The word beside each says it all. */
export const ICON = { className: 'size-4 flex-none', strokeWidth: 1.5, 'aria-hidden': true } as const;
