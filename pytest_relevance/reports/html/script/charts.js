// @ts-check
/*
 * The charts below the list: the change of each query as sorted bars, tags, and scores before and after.
 */

/** @param {PageData} data */
function renderCharts(data) {
  void data;
}
