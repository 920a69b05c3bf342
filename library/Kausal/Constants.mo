within Kausal;
package Constants "Mathematical and physical constants"
  constant Real pi = 3.14159265358979323846 "Circumference of a circle over its diameter";
  constant Real e = 2.71828182845904523536 "Base of the natural logarithm";
  constant Real eps = 2.220446049250313e-16 "Distance from 1 to the next larger floating point number";
  constant Real small = 1e-60 "A number of no size that is safe to divide by";
  constant Real inf = 1e60 "A number larger than all that occur";
  constant Units.Acceleration g = 9.80665 "Standard acceleration of gravity (defined value)";
  constant Real sigma(final unit = "W/(m2.K4)") = 5.670374419e-8 "Stefan-Boltzmann constant (SI 2019)";
  constant Units.Temperature zeroCelsius = 273.15 "0 degC as absolute temperature";
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Text(extent = {{-80, 60}, {80, -60}}, textString = "pi", textColor = {0, 0, 0})}),
    Documentation(info = "<html>
<p>Mathematical constants, limits of numbers, and constants of nature with the values of the SI of 2019.</p>
</html>"));
end Constants;
