/** Where the page of a channel's handsets is. The key in it is its credential. */
export function handsetsPath(channelKey: string): string {
  return `/handsets/${channelKey}`
}
